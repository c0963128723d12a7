import classes from './bar-list.module.css'

interface Bar {
  key: string
  label: string
  value: number
  /** The value in words. */
  text: string
  note?: string | undefined
}

/** Values with a bar each, as long as its part of the largest one. */
export function BarList({ label, bars }: { label: string; bars: Bar[] }) {
  const most = Math.max(...bars.map(({ value }) => value), 1)
  return (
    <ul className={classes.bars} aria-label={label}>
      {bars.map(({ key, label, value, text, note }) => (
        <li key={key}>
          <span className={classes.label}>{label}</span>
          {note && <span className={classes.note}>{note}</span>}
          <span className={classes.value}>{text}</span>
          <svg className={classes.bar} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden>
            <rect width={(100 * value) / most} height="1" />
          </svg>
        </li>
      ))}
    </ul>
  )
}
