CREATE TABLE runs (
  run_id $serial NOT NULL,
  started_at VARCHAR(32) NOT NULL,
  seller TEXT NOT NULL,
  service TEXT NOT NULL,
  language TEXT NOT NULL,
  options TEXT NOT NULL,
  PRIMARY KEY (run_id)
);
CREATE TABLE schema_version (
  version INTEGER NOT NULL
);
CREATE TABLE files (
  file $serial NOT NULL,
  run_id $key NOT NULL,
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  kind TEXT NOT NULL,
  sheet TEXT,
  PRIMARY KEY (file),
  FOREIGN KEY(run_id) REFERENCES runs (run_id)
);
CREATE INDEX ix_files_run_id ON files (run_id);
CREATE TABLE packages (
  package $serial NOT NULL,
  file $key NOT NULL,
  number INTEGER NOT NULL,
  channel TEXT NOT NULL,
  package_type TEXT NOT NULL,
  rows INTEGER NOT NULL,
  phase TEXT NOT NULL,
  package_id TEXT,
  state TEXT,
  message_code TEXT,
  message_text TEXT,
  created_at VARCHAR(32),
  committed_at VARCHAR(32),
  finished_at VARCHAR(32),
  creations INTEGER NOT NULL,
  readings INTEGER NOT NULL,
  link TEXT,
  pages INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  since VARCHAR(32),
  due VARCHAR(32),
  PRIMARY KEY (package),
  FOREIGN KEY(file) REFERENCES files (file)
);
CREATE UNIQUE INDEX package_by_file ON packages (file, number);
CREATE TABLE attempts (
  package $key NOT NULL,
  number INTEGER NOT NULL,
  step TEXT NOT NULL,
  upload INTEGER,
  intended_at VARCHAR(32) NOT NULL,
  answered_at VARCHAR(32),
  outcome TEXT,
  status INTEGER,
  trace_id TEXT,
  detail TEXT,
  PRIMARY KEY (package, number),
  FOREIGN KEY(package) REFERENCES packages (package)
)$rowless;
CREATE TABLE results (
  package $key NOT NULL,
  reference TEXT NOT NULL,
  status TEXT NOT NULL,
  messages TEXT NOT NULL,
  PRIMARY KEY (package, reference),
  FOREIGN KEY(package) REFERENCES packages (package)
)$rowless;
CREATE TABLE rows (
  file $key NOT NULL,
  row INTEGER NOT NULL,
  package $key NOT NULL,
  upload INTEGER NOT NULL,
  reference TEXT NOT NULL,
  product TEXT NOT NULL,
  body $bytes NOT NULL,
  PRIMARY KEY (file, row),
  FOREIGN KEY(file) REFERENCES files (file),
  FOREIGN KEY(package) REFERENCES packages (package)
)$rowless;
CREATE INDEX row_by_upload ON rows (package, upload);
CREATE TABLE uploads (
  package $key NOT NULL,
  upload INTEGER NOT NULL,
  stage TEXT NOT NULL,
  message_code TEXT,
  message_text TEXT,
  PRIMARY KEY (package, upload),
  FOREIGN KEY(package) REFERENCES packages (package)
)$rowless
