import { Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import classes from './layout.module.css'
import { Preferences } from './preferences.tsx'

interface Props {
  title: string
  about?: ReactNode
  children: ReactNode
}

/** A page before the console: a mark, a title, one form, and the choice of language and theme. */
export function Layout({ title, about, children }: Props) {
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
  return (
    <main className={classes.page}>
      <div className={classes.form}>
        <img src="/icon.svg" alt="" width={36} height={36} className={classes.mark} />
        <Stack gap={4} mb="xl" ta="center">
          <Title order={1} size="h3">
            {title}
          </Title>
          {about && (
            <Text size="sm" c="var(--meta)">
              {about}
            </Text>
          )}
        </Stack>
        {children}
      </div>
      <Preferences />
    </main>
  )
}
