import { png, type Colour } from './png';
import type { Random } from './random';

const colour = (random: Random, min: number, max: number): Colour => [
  random.between(min, max),
  random.between(min, max),
  random.between(min, max),
];

const blend = (from: Colour, to: Colour, share: number): Colour => [
  Math.round(from[0] + (to[0] - from[0]) * share),
  Math.round(from[1] + (to[1] - from[1]) * share),
  Math.round(from[2] + (to[2] - from[2]) * share),
];

/** A sun over a striped sea. */
export const seascape = (width: number, height: number, random: Random): Buffer => {
  const zenith = colour(random, 20, 140);
  const dawn = colour(random, 150, 250);
  const sea = colour(random, 10, 110);
  const horizon = Math.round(height * (random.between(50, 70) / 100));
  const sun = { x: random.between(0, width), y: horizon, radius: height / random.between(4, 8) };
  const wave = random.between(8, 20);

  return png(width, height, (x, y) => {
    if (y >= horizon) return Math.floor((y - horizon) / wave) % 2 ? blend(sea, dawn, 0.15) : sea;
    if (Math.hypot(x - sun.x, y - sun.y) < sun.radius) return [255, 236, 190];
    return blend(zenith, dawn, y / horizon);
  });
};

/** A head and shoulders against a plain colour. */
export const portrait = (size: number, random: Random): Buffer => {
  const wall = colour(random, 120, 230);
  const figure = colour(random, 20, 110);
  const middle = size / 2;

  return png(size, size, (x, y) => {
    const head = Math.hypot(x - middle, y - size * 0.4) < size * 0.2;
    const shoulders = Math.hypot(x - middle, y - size * 1.05) < size * 0.4;
    return head || shoulders ? figure : wall;
  });
};
