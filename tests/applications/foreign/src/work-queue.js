/** One worker for the whole process. It runs its jobs outside of any request. */
const jobs = [];
let wake;
let isStopped = true;

const work = async () => {
  while (!isStopped) {
    const job = jobs.shift();
    if (job === undefined) {
      await new Promise((resolve) => {
        wake = resolve;
      });
    } else {
      await job().catch(() => undefined);
    }
  }
};

exports.start = () => {
  isStopped = false;
  void work();
};

exports.stop = () => {
  isStopped = true;
  wake?.();
};

/** Resolves with the result of the job. */
exports.enqueue = (task) =>
  new Promise((resolve, reject) => {
    jobs.push(() => task().then(resolve, reject));
    wake?.();
  });

const inFlight = new Map();

/** Requests that arrive while the result is being computed share it. */
exports.shared = (name, task) => {
  const known = inFlight.get(name);
  if (known !== undefined) return known;
  const promise = task().finally(() => inFlight.delete(name));
  inFlight.set(name, promise);
  return promise;
};

/** Returns a function that reads what is asked for within a moment at once. The read is the first asker's. */
exports.batched = (read) => {
  let asked;
  return async (knex, key) => {
    if (asked === undefined) {
      const batch = { keys: [] };
      asked = batch;
      batch.found = pause().then(() => {
        asked = undefined;
        return read(knex, batch.keys);
      });
    }
    asked.keys.push(key);
    return (await asked.found).get(key);
  };
};

const pause = () => new Promise((resolve) => setTimeout(resolve, 3));
