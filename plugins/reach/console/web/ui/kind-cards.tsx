import type { ReactNode } from 'react'
import classes from './kind-cards.module.css'

interface Kind {
  kind: string
  label: string
  about?: string
}

interface Props<K extends Kind> {
  label: string
  kinds: K[]
  onChoose(kind: K): void
  /** A picture for a kind. */
  icon?(kind: K): ReactNode
}

/** Kinds of something to add, as cards to choose from. */
export function KindCards<K extends Kind>({ label, kinds, onChoose, icon }: Props<K>) {
  return (
    <ul className={classes.cards} aria-label={label}>
      {kinds.map((kind) => (
        <li key={kind.kind}>
          <button type="button" className={classes.card} onClick={() => onChoose(kind)}>
            {icon?.(kind)}
            <span>
              <span className={classes.name}>{kind.label}</span>
              {kind.about && <span className={classes.about}>{kind.about}</span>}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
