import { useIntl } from 'react-intl';
import { inDurationUnits } from './duration-units';
import { inByteUnits } from './byte-units';

/** Formats numbers, sizes, durations and times for the panel's language. */
export const useFormats = () => {
  const { formatNumber, formatDate, formatTime, formatRelativeTime } = useIntl();

  return {
    count: (value: number): string => formatNumber(value),
    /** `null` means that there were no requests to compute a ratio from. */
    ratio: (value: number | null): string =>
      value === null ? '–' : formatNumber(value, { style: 'percent', maximumFractionDigits: 1 }),
    /** @param value bytes. */
    bytes: (value: number): string => {
      const { amount, unit } = inByteUnits(value);
      const size = formatNumber(amount, {
        style: 'unit',
        unit,
        unitDisplay: 'narrow',
        maximumFractionDigits: amount < 10 ? 1 : 0,
      });
      // The narrow form is the only one that writes "B" for byte, but it leaves out the space before the unit.
      return size.replace(/(\d)(\p{L})/u, '$1\u00a0$2');
    },
    /** @param value milliseconds. */
    duration: (value: number): string =>
      inDurationUnits(value)
        .map(({ amount, unit }) =>
          formatNumber(amount, {
            style: 'unit',
            unit,
            unitDisplay: unit === 'day' ? 'long' : 'short',
            maximumFractionDigits: unit === 'second' && amount < 10 ? 1 : 0,
          }),
        )
        .join(' '),
    /** @param at milliseconds since the epoch, like `now`. */
    ago: (at: number, now: number): string => {
      const [largest] = inDurationUnits(Math.max(0, now - at));
      if (largest === undefined || largest.unit === 'millisecond')
        return formatRelativeTime(0, 'second', { numeric: 'auto' });
      return formatRelativeTime(-Math.floor(largest.amount), largest.unit, { style: 'short' });
    },
    /** @param left milliseconds; negative if it is over. */
    left: (left: number): string => {
      const [{ amount, unit } = { amount: 0, unit: 'second' }] = inDurationUnits(Math.abs(left));
      return formatNumber(Math.sign(left) * Math.floor(amount), { style: 'unit', unit, unitDisplay: 'short' });
    },
    /** @param left milliseconds. */
    inTime: (left: number): string => {
      const [largest = { amount: 0, unit: 'second' as const }] = inDurationUnits(Math.max(1000, Math.abs(left)));
      const unit = largest.unit === 'millisecond' ? 'second' : largest.unit;
      return formatRelativeTime((left < 0 ? -1 : 1) * Math.floor(largest.amount), unit, { style: 'short' });
    },
    /** @param at milliseconds since the epoch. */
    moment: (at: number): string => formatDate(at, { dateStyle: 'medium', timeStyle: 'medium' }),
    /** @param at milliseconds since the epoch. */
    dayAndHour: (at: number): string =>
      formatDate(at, {
        weekday: 'short',
        day: 'numeric',
        month: 'short',
        hour: '2-digit',
        minute: '2-digit',
      }),
    /** @param at milliseconds since the epoch. */
    clock: (at: number): string => formatTime(at, { hour: '2-digit', minute: '2-digit' }),
  };
};
