import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import classes from './list.module.css'

interface Props {
  /** A picture or icon before the text. */
  icon?: ReactNode
  title: string
  meta?: ReactNode
  /** True if it can be opened and yet lacks something. */
  isDimmed?: boolean
  /** The page that the row opens. */
  link?: LinkProps
  /** The action of the row, if it opens no page. */
  onOpen?: (() => void) | undefined
  /** States and controls at the end of the row. */
  children?: ReactNode
}

/** A row or card of a list: what it is, what opens it, and its controls. */
export function ListRow({ icon, title, meta, isDimmed, link, onOpen, children }: Props) {
  return (
    <li>
      <div className={classes.row} data-dimmed={isDimmed || undefined}>
        {icon}
        <div className={classes.text}>
          {link ? (
            <Link {...link} className={classes.main}>
              {title}
            </Link>
          ) : onOpen ? (
            <button type="button" className={`${classes.main} ${classes.plain}`} onClick={onOpen}>
              {title}
            </button>
          ) : (
            <span className={classes.title}>{title}</span>
          )}
          {meta && <div className={classes.meta}>{meta}</div>}
        </div>
        {children && <div className={classes.side}>{children}</div>}
      </div>
    </li>
  )
}
