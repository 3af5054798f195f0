import { connect } from 'node:net';

/** Sends bytes on a connection of its own, and returns everything received until the server closes the connection. */
export const bytesAnswered = ({ origin }: { readonly origin: string }, sent: string): Promise<string> => {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let bytes = '';
    const socket = connect(Number(port), hostname, () => socket.write(sent));
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (bytes += chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(bytes));
  });
};
