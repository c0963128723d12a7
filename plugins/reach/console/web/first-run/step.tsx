import { Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../i18n/words.ts'

interface Props {
  about: string
  children?: ReactNode
  /** The button that goes on. */
  action: ReactNode
  onSkip?: () => void
}

/** A step of the first run: what it is for, its fields, and the way on. */
export function Step({ about, children, action, onSkip }: Props) {
  return (
    <Stack gap="lg" maw={420} pt="lg">
      <Text>{about}</Text>
      {children}
      <Group gap="sm">
        {action}
        {onSkip && (
          <Button variant="subtle" color="gray" onClick={onSkip}>
            {t('first-run.skip')}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
