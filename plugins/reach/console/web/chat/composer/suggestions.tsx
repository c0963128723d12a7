import { useEffect, useRef } from 'react'
import { t } from '../../i18n/words.ts'
import classes from './suggestions.module.css'
import type { Suggestion } from './use-suggestions.ts'

interface Props {
  id: string
  items: Suggestion[]
  chosen: number
  /** Why the saved prompts are missing. */
  error: unknown
  onMove(index: number): void
}

/** The suggestions above the composer; the focus stays in its field. */
export function Suggestions({ id, items, chosen, error, onMove }: Props) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  if (items.length === 0 && !error) return null
  return (
    <div className={classes.box}>
      {items.length > 0 && (
        <div ref={list} id={id} role="listbox" aria-label={t('chat.suggestions')} className={classes.list}>
          {items.map(({ key, id: entryId = key, label, icon: Icon, run }, index) => (
            <button
              key={entryId}
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
      )}
      {error ? (
        <p role="status" className={classes.note}>
          {t('prompts.unavailable')}
        </p>
      ) : null}
    </div>
  )
}
