import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

interface Props {
  title: string
  about?: ReactNode
  /** Buttons at the right of the title. */
  actions?: ReactNode
  children: ReactNode
}

/** A part of a page under a title of its own. */
export function Section({ title, about, actions, children }: Props) {
  const id = useId()
  return (
    <Stack gap="sm" component="section" aria-labelledby={id}>
      <Group justify="space-between" align="flex-end">
        <div>
          <Title order={2} size="h5" id={id}>
            {title}
          </Title>
          {about && (
            <Text size="sm" c="var(--meta)">
              {about}
            </Text>
          )}
        </div>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
