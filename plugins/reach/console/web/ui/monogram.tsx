import classes from './monogram.module.css'

/** The first letter of a name as a picture, for things without one. */
export function Monogram({
  name,
  mark,
  color,
  isSmall = false,
}: {
  name: string
  /** Shown in place of the letter. */
  mark?: string | undefined
  color?: string | null | undefined
  isSmall?: boolean
}) {
  return (
    <span
      className={classes.monogram}
      data-small={isSmall}
      style={color ? { background: color, color: '#fff' } : undefined}
      aria-hidden
    >
      {mark ?? [...name.trim()][0]?.toUpperCase() ?? '·'}
    </span>
  )
}
