/** A check must not run register() or bootstrap(). */
const forbidden = (name) => () => {
  throw new Error(`${name} was run`);
};

module.exports = { register: forbidden('register'), bootstrap: forbidden('bootstrap') };
