# The web UI and the MCP server's packages
FROM node:24-bookworm-slim AS node
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY web/package.json web/package-lock.json web/
RUN npm ci --prefix web --ignore-scripts --no-audit --no-fund
COPY web web
COPY wording/sentences wording/sentences
RUN npm run build --prefix web

# The server
FROM python:3.11-slim-bookworm
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        chromium fonts-liberation fonts-noto-cjk fonts-noto-color-emoji fonts-noto-core tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 pilothouse \
    && install --directory --owner=pilothouse --mode=0700 /data
WORKDIR /app
COPY requirements.txt ./
RUN pip install --no-cache-dir --disable-pip-version-check --no-deps -r requirements.txt
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /app/node_modules node_modules
COPY --from=node /app/web/dist web/dist
COPY alembic.ini pyproject.toml ./
COPY migrations migrations
COPY pilothouse pilothouse
COPY server server
COPY cli cli
COPY wording wording
# The user of the container cannot write compiled modules: each start would compile them again.
RUN python -m compileall -q pilothouse server cli wording migrations

# Chromium cannot build its own sandbox inside a container's: see docs/decisions/0005.
ENV BROWSER_SANDBOX=false
ENV HOST=0.0.0.0 PORT=8000 DATA_DIR=/data PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER pilothouse
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=4 \
    CMD ["python", "-c", "import http.client, os; server = http.client.HTTPConnection('127.0.0.1', int(os.environ['PORT']), timeout=4); server.request('GET', '/api/health'); exit(server.getresponse().status != 200)"]
ENTRYPOINT ["tini", "--"]
CMD ["python", "-m", "server"]
