# One image for all zones; what a container may do is decided by its command, mounts and secrets.
FROM python:3.12-slim

# For an image without CUDA: --build-arg PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu
ARG PIP_EXTRA_INDEX_URL

WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
COPY common common
COPY examples examples
COPY privacy privacy
COPY agents agents
COPY indexer indexer
COPY rag_server rag_server
COPY training training
COPY eval eval
RUN pip install --no-cache-dir -c constraints.txt torch \
 && pip install --no-cache-dir -c constraints.txt .

ENTRYPOINT ["sage-rag"]
