/** Whatever acts must not run in a check. */
const forbidden = (name) => () => {
  throw new Error(`${name} was run`);
};

module.exports = { register: forbidden('register'), bootstrap: forbidden('bootstrap') };
