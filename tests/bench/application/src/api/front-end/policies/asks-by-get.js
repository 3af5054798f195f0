'use strict';

module.exports = ({ request }) => request.method === 'GET';
