# Tidegate with two releases of Kafka.  It shows the loss of a record and its fix, in the model and on brokers:
#   docker build --tag tidegate . && docker run --rm tidegate
FROM python:3.12-slim-bookworm
RUN apt-get update && apt-get install --yes --no-install-recommends default-jre-headless maven && rm -rf /var/lib/apt/lists/*
WORKDIR /tidegate
COPY . .
RUN sh scripts/demo
RUN sh scripts/kafka 0.10.2.2 2.6.0
ENV PATH=/tidegate/.venv/bin:$PATH
RUN tidegate check hw --quiet --json loss.json || test $? -eq 12
# 0.10.2.2 follows the trace to the loss.  2.6.0 leaves it at step 9, which is status 1.
CMD tidegate replay loss.json --kafka .kafka/0.10.2.2 && { tidegate replay loss.json --kafka .kafka/2.6.0 || test $? -eq 1; }
