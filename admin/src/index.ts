export default {
  register(): void {},
};
