import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import classes from './page.module.css'

interface Props {
  title: string
  /** A sentence about what the page is for. */
  about?: ReactNode
  /** The buttons at the right of the title. */
  actions?: ReactNode
  children: ReactNode
}

/** A page beside the menu: its title, its actions, and its content below. */
export function Page({ title, about, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
  return (
    <main className={classes.page}>
      <Stack gap="lg">
        <Group justify="space-between" align="flex-start">
          <div className={classes.head}>
            <Title order={1} size="h3">
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
    </main>
  )
}
