import { Alert, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  color: string
  /** True if a screen reader announces it at once. */
  isUrgent?: boolean
  children: ReactNode
  /** The words of the other side, which may be in another language. */
  detail?: string | null | undefined
}

/** An outcome in a sentence, with the message of the other side below it. */
export function Outcome({ color, isUrgent, children, detail }: Props) {
  return (
    <Alert color={color} variant="light" {...(isUrgent && { role: 'alert' })}>
      {children}
      {detail && (
        <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
          {detail}
        </Text>
      )}
    </Alert>
  )
}
