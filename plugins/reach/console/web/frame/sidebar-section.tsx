import { UnstyledButton } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { ChevronRight } from '../ui/icons.ts'
import classes from './sidebar.module.css'

interface Props {
  /** The name under which the browser keeps if the section is open. */
  id: string
  title: string
  /** A control beside the title. */
  action?: ReactNode
  children: ReactNode
}

/** A part of the left column that can be folded. */
export function SidebarSection({ id, title, action, children }: Props) {
  const [isOpen, setOpen] = useLocalStorage({
    key: `svc.section.${id}`,
    defaultValue: true,
    getInitialValueInEffect: false,
  })
  return (
    <section className={classes.section} aria-label={title}>
      <div className={classes.heading}>
        <UnstyledButton className={classes.toggle} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {title}
          <ChevronRight size={12} aria-hidden data-open={isOpen} className={classes.chevron} />
        </UnstyledButton>
        {action}
      </div>
      {isOpen && children}
    </section>
  )
}
