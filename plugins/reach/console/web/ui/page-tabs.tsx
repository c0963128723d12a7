import { Link, type LinkProps } from '@tanstack/react-router'
import classes from './page-tabs.module.css'

interface Props {
  /** The name of the tabs for screen readers. */
  label: string
  tabs: { to: NonNullable<LinkProps['to']>; label: string }[]
}

/** The links between the pages of an area. */
export function PageTabs({ label, tabs }: Props) {
  return (
    <nav className={classes.tabs} aria-label={label}>
      {tabs.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true }}
          className={classes.tab}
          activeProps={{ 'aria-current': 'page' }}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
