import { Text } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import classes from './figures.module.css'

interface Figure {
  label: string
  value: string
  /** The page with more about it. */
  link?: LinkProps
  note?: string
  /** Something that needs a look. */
  warning?: string | false
}

/** A few numbers side by side. */
export function Figures({ label, figures }: { label: string; figures: Figure[] }) {
  return (
    <ul className={classes.figures} aria-label={label}>
      {figures.map(({ label, value, note, warning, link }) => (
        <li key={label}>
          <Text size="sm" c="var(--meta)">
            {link ? <Link {...link}>{label}</Link> : label}
          </Text>
          <span className={classes.value}>{value}</span>
          {note && (
            <Text size="xs" c="var(--meta)">
              {note}
            </Text>
          )}
          {warning && (
            <Text size="xs" c="var(--danger)">
              {warning}
            </Text>
          )}
        </li>
      ))}
    </ul>
  )
}
