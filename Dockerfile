# Gossamer in a container.
#
#   docker build --target plain --tag gossamer .
#   docker run --rm --init --volume "$PWD/data:/data" gossamer crawl https://example.com
#
# Targets: plain (50 MB more than Node), chromium (with a browser, for --render).

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
# node:sqlite is part of this Node, so the SQLite that the package has for earlier ones stays behind.
RUN npm ci --ignore-scripts && npm pack && mv gossamer-*.tgz /gossamer.tgz \
  && npm install --global --prefix /opt/gossamer /gossamer.tgz \
  && rm -r /opt/gossamer/lib/node_modules/gossamer/dist/sqlite

FROM node:24-bookworm-slim AS plain
COPY --from=build /opt/gossamer /opt/gossamer
ENV PATH=/opt/gossamer/bin:$PATH NODE_ENV=production
RUN install --directory --owner node --group node /data
USER 1000:1000
WORKDIR /data
VOLUME /data
ENTRYPOINT ["gossamer"]
CMD ["--help"]

FROM plain AS chromium
USER 0:0
# Which Chromium this is follows the base image: only the latest of a release gets security fixes.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends chromium fonts-liberation fonts-noto-core \
  && rm -rf /var/lib/apt/lists/* \
  && npm install --global --prefix /opt/gossamer playwright-core@1
ENV CHROME_PATH=/usr/bin/chromium
USER 1000:1000
