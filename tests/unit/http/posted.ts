import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';

/** A value as a worker would receive it. */
export const posted = (value: unknown): unknown => {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(value);
  const received: unknown = receiveMessageOnPort(port2)?.message;
  port1.close();
  return received;
};
