# The watched folder in a container: docs/folder.md, "In a container". Several machines: compose.yaml.
# /feedtool holds feedtool.toml, the folder feeds and the state, and has to belong to user 1000.
FROM python:3.12-slim AS build
COPY . /source
RUN python -m venv /opt/feedtool \
    && /opt/feedtool/bin/pip install --no-cache-dir -c /source/constraints.txt '/source[postgresql,workers,buckets,sftp]'

FROM python:3.12-slim
COPY --from=build /opt/feedtool /opt/feedtool
# A volume that is mounted at one of the folders belongs to the user, as the folder does.
RUN useradd --uid 1000 --create-home feedtool \
    && install -d -o feedtool /feedtool /feedtool/feeds /feedtool/answers /store
ENV PATH=/opt/feedtool/bin:$PATH FEEDTOOL_HOME=/feedtool/state PYTHONUNBUFFERED=1
USER feedtool
WORKDIR /feedtool
VOLUME /feedtool
HEALTHCHECK --interval=60s --start-period=60s CMD feedtool watch feeds --health || exit 1
ENTRYPOINT ["feedtool"]
CMD ["watch", "feeds", "--create"]
