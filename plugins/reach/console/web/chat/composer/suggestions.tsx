import { t } from '../../i18n/words.ts'
import classes from './suggestions.module.css'
import type { Suggestion } from './use-suggestions.ts'

interface Props {
  id: string
  items: Suggestion[]
  chosen: number
  onMove(index: number): void
}

/** The suggestions above the composer; the focus stays in its field. */
export function Suggestions({ id, items, chosen, onMove }: Props) {
  if (items.length === 0) return null
  return (
    <div id={id} role="listbox" aria-label={t('chat.suggestions')} className={classes.list}>
      {items.map(({ key, label, icon: Icon, run }, index) => (
        <button
          key={key}
          id={`${id}-${index}`}
          type="button"
          role="option"
          aria-selected={index === chosen}
          tabIndex={-1}
          className={classes.entry}
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => onMove(index)}
          onClick={run}
        >
          <Icon size={15} aria-hidden />
          <span className={classes.label}>{label}</span>
          {key !== label && <span className={classes.key}>{key}</span>}
        </button>
      ))}
    </div>
  )
}
