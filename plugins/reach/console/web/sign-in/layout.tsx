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
        <Mark />
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

/** The icon of the console, as in `index.html`, which is drawn without another request. */
const Mark = () => (
  <svg width={36} height={36} viewBox="0 0 32 32" aria-hidden="true" className={classes.mark}>
    <rect width={32} height={32} rx={7} fill="#2b5bd7" />
    <path
      d="M12 9 6 16l6 7M20 9l6 7-6 7"
      fill="none"
      stroke="#fff"
      strokeWidth={3}
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
)
