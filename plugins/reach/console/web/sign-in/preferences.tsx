import { Button, Group, type MantineColorScheme, useMantineColorScheme } from '@mantine/core'
import { chooseLanguage, language } from '../i18n/language.ts'
import { t, type WordKey } from '../i18n/words.ts'
import { Languages, Monitor, Moon, Sun } from '../ui/icons.ts'

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
