INSERT INTO schema_version VALUES (1);

INSERT INTO runs VALUES (1, '2026-03-02T09:00:00.000000+00:00', 'S1', 'https://service.example/v2', 'en', '{}');

INSERT INTO files VALUES (1, 1, 'a.xlsx', '00', 'offers-upsert', 'Offers');

INSERT INTO packages (package, file, number, channel, package_type, rows, phase, package_id, creations, readings, pages, attempts, tries, failures) VALUES (1, 1, 1, 'P', 'Upsert', 1, 'closed', 'p1', 1, 1, 1, 9, 0, 0), (2, 1, 2, 'P', 'Upsert', 2, 'committed', 'p2', 1, 0, 0, 5, 0, 0), (3, 1, 3, 'P', 'Upsert', 1, 'filling', 'p3', 1, 0, 0, 5, 0, 0), (4, 1, 4, 'P', 'Upsert', 1, 'planned', NULL, 0, 0, 0, 0, 0, 0);

INSERT INTO uploads (package, upload, stage) VALUES (1, 1, 'staged'), (2, 1, 'staged'), (3, 1, 'sending'), (4, 1, 'planned');

INSERT INTO rows VALUES (1, 3, 1, 1, 'A', 'G1||New', '{}'), (1, 4, 2, 1, 'B', 'G2||New', '{}'), (1, 5, 2, 1, 'C', '', '{}'), (1, 6, 3, 1, 'B', 'G6||New', '{}'), (1, 7, 4, 1, 'E', 'G7||New', '{}');

INSERT INTO attempts (package, number, step, intended_at) VALUES (1, 1, 'create', '2026-03-02T09:00:00.000000+00:00');

INSERT INTO results VALUES (1, 'A', 'Integrated', '[]');
