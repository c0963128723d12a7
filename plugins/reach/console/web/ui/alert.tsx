import type { ReactNode } from 'react'
import classes from './alert.module.css'

/** Something that failed; smaller than the alert of the component library, for the first load. */
export const Alert = ({ children }: { children: ReactNode }) => (
  <div className={classes.alert} role="alert">
    {children}
  </div>
)
