import { ActionIcon } from '@mantine/core'
import type { ReactNode } from 'react'
import type { IconComponent } from '../../ui/icon.tsx'
import classes from './block-frame.module.css'

interface Props {
  name: string
  /** The buttons at its end. */
  actions: ReactNode
  children: ReactNode
}

/** The frame of code, a table or a diagram: a row with its name and buttons, which covers nothing, and the content. */
export function BlockFrame({ name, actions, children }: Props) {
  return (
    <figure className={classes.frame}>
      <figcaption className={classes.head}>
        <span className={classes.name}>{name}</span>
        {actions}
      </figcaption>
      {children}
    </figure>
  )
}

interface ActionProps {
  label: string
  icon: IconComponent
  /** The state of a switch. */
  isPressed?: boolean
  onClick(): void
}

/** A button in the frame of a block. */
export function BlockAction({ label, icon: Icon, isPressed, onClick }: ActionProps) {
  return (
    <ActionIcon
      variant={isPressed ? 'light' : 'subtle'}
      color="gray"
      size="sm"
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      onClick={onClick}
    >
      <Icon size={14} aria-hidden />
    </ActionIcon>
  )
}
