import { t } from '../i18n/words.ts'
import classes from './chips.module.css'

interface Props {
  names: string[]
  /** The most chips, in one line; the others are counted in one more. */
  max?: number
}

/** Short names, each in a frame. */
export function Chips({ names, max = Number.POSITIVE_INFINITY }: Props) {
  if (names.length === 0) return null
  const others = names.slice(max)
  return (
    <span className={classes.chips} data-line={Number.isFinite(max) || undefined}>
      {names.slice(0, max).map((name) => (
        <span key={name} className={classes.chip} title={name}>
          {name}
        </span>
      ))}
      {others.length > 0 && (
        <span className={classes.chip} title={others.join(t('common.list_separator'))}>
          +{others.length}
        </span>
      )}
    </span>
  )
}
