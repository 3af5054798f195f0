module.exports = ({ request }) => request.headers['x-badge'] !== undefined;
