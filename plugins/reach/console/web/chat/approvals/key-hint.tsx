import { Kbd } from '@mantine/core'
import classes from './approval-card.module.css'

/** The key of a button; faint while the key does not work. */
export const KeyHint = ({ letter, isOn }: { letter: string; isOn: boolean }) => (
  <Kbd size="xs" className={classes.key} data-on={isOn} aria-hidden>
    {letter}
  </Kbd>
)
