module.exports = () => ({
  async tide() {
    const answer = await fetch('http://127.0.0.1:9/tide');
    return answer.json();
  },
});
