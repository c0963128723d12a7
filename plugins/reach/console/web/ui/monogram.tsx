import classes from './monogram.module.css'

/** The first letter of a name as a picture, for things without one. */
export function Monogram({ name, color }: { name: string; color?: string | null | undefined }) {
  return (
    <span
      className={classes.monogram}
      style={color ? { background: color, color: '#fff' } : undefined}
      aria-hidden
    >
      {[...name.trim()][0]?.toUpperCase() ?? '·'}
    </span>
  )
}
