# The watched folder in a container: docs/folder.md, "In a container".
# /feedtool holds feedtool.toml, the folder feeds and the state, and has to belong to user 1000.
FROM python:3.12-slim AS build
COPY . /source
RUN python -m venv /opt/feedtool && /opt/feedtool/bin/pip install --no-cache-dir '/source[postgresql]'

FROM python:3.12-slim
COPY --from=build /opt/feedtool /opt/feedtool
RUN useradd --uid 1000 --create-home feedtool && install -d -o feedtool /feedtool
ENV PATH=/opt/feedtool/bin:$PATH FEEDTOOL_HOME=/feedtool/state PYTHONUNBUFFERED=1
USER feedtool
WORKDIR /feedtool
VOLUME /feedtool
HEALTHCHECK --interval=60s --start-period=60s CMD feedtool watch feeds --health || exit 1
ENTRYPOINT ["feedtool"]
CMD ["watch", "feeds", "--create"]
