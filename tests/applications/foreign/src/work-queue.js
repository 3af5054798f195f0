/** One worker for the whole process: what it does, it does in nobody's request. */
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

/** Resolves with what the worker made of it. */
exports.enqueue = (task) =>
  new Promise((resolve, reject) => {
    jobs.push(() => task().then(resolve, reject));
    wake?.();
  });

const inFlight = new Map();

/** Requests that come while the answer is being made wait for that one. */
exports.shared = (name, task) => {
  const known = inFlight.get(name);
  if (known !== undefined) return known;
  const promise = task().finally(() => inFlight.delete(name));
  inFlight.set(name, promise);
  return promise;
};
