import {
  Button,
  Group,
  type MantineColorScheme,
  Stack,
  Text,
  Title,
  useMantineColorScheme,
} from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { chooseLanguage, language } from '../i18n/language.ts'
import { t, type WordKey } from '../i18n/words.ts'
import { Languages, Monitor, Moon, Sun } from '../ui/icons.ts'
import classes from './layout.module.css'

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

/** The themes in the order in which the button goes through them. */
const THEMES = { auto: Monitor, light: Sun, dark: Moon }
const NEXT = { auto: 'light', light: 'dark', dark: 'auto' } as const
const LABELS: Record<MantineColorScheme, WordKey> = {
  auto: 'preferences.theme_auto',
  light: 'preferences.theme_light',
  dark: 'preferences.theme_dark',
}

/** The choice of language and theme before somebody has signed in. */
export function Preferences() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const Icon = THEMES[colorScheme]
  const button = { variant: 'subtle', color: 'gray', size: 'xs' } as const
  return (
    <Group gap="xs" component="footer">
      <Button
        {...button}
        lang={language === 'zh' ? 'en' : 'zh'}
        leftSection={<Languages size={14} aria-hidden />}
        onClick={() => chooseLanguage(language === 'zh' ? 'en' : 'zh')}
      >
        {t('preferences.other_language')}
      </Button>
      <Button
        {...button}
        leftSection={<Icon size={14} aria-hidden />}
        onClick={() => setColorScheme(NEXT[colorScheme])}
        aria-label={t('preferences.theme_is', { theme: t(LABELS[colorScheme]) })}
      >
        {t(LABELS[colorScheme])}
      </Button>
    </Group>
  )
}
