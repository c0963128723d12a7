import { Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './page.module.css'
import { PhoneBar } from './phone-bar.tsx'

interface Props {
  order: 1 | 2
  id?: string
  title: string
  about?: ReactNode
  actions?: ReactNode
}

/** The title of a page or of a part of it, with a sentence about it and its actions. */
export function Heading({ order, id, title, about, actions }: Props) {
  const heading = (
    <Title order={order} size={order === 1 ? 'h3' : 'h5'} {...(id && { id })}>
      {title}
    </Title>
  )
  return (
    <Group justify="space-between" align={order === 1 ? 'flex-start' : 'flex-end'}>
      <div className={order === 1 ? classes.head : undefined}>
        {order === 1 ? <PhoneBar>{heading}</PhoneBar> : heading}
        {about && (
          <Text size="sm" c="var(--meta)">
            {about}
          </Text>
        )}
      </div>
      {actions && <Group gap="sm">{actions}</Group>}
    </Group>
  )
}
