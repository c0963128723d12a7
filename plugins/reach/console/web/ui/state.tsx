import type { ReactNode } from 'react'
import classes from './state.module.css'

interface Props {
  /** The shape of the dot: full, a ring, or half; red only for failures. */
  tone: 'on' | 'off' | 'changing' | 'failed' | 'waiting'
  children: ReactNode
}

/** A state by word and shape, then by colour. */
export function State({ tone, children }: Props) {
  return (
    <span className={classes.state} data-tone={tone}>
      <span className={classes.dot} aria-hidden />
      {children}
    </span>
  )
}
