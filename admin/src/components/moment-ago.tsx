import { useFormats } from '../format/use-formats';

interface MomentAgoProps {
  /** Milliseconds since the epoch, both. */
  readonly at: number;
  readonly now: number;
}

/** How long ago something happened. The date itself appears on hover. */
export const MomentAgo = ({ at, now }: MomentAgoProps) => {
  const { ago, moment } = useFormats();
  return (
    <time dateTime={new Date(at).toISOString()} title={moment(at)} style={{ whiteSpace: 'nowrap' }}>
      {ago(at, now)}
    </time>
  );
};
