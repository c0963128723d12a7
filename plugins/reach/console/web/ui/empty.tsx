import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  title: string
  /** A sentence about what this list is for. */
  children: ReactNode
  /** The one action that makes sense here. */
  action?: ReactNode
}

/** A list without rows. */
export function Empty({ title, children, action }: Props) {
  return (
    <Stack align="center" gap="sm" py={48} ta="center">
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="var(--meta)" maw={420}>
        {children}
      </Text>
      {action}
    </Stack>
  )
}
