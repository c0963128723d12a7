import { Group, Input, type MantineColorScheme, SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { useId } from 'react'
import { chooseLanguage, type Language, language } from '../i18n/language.ts'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { Failure } from '../ui/failure.tsx'
import { Section } from '../ui/section.tsx'
import { useAction } from '../ui/use-action.ts'

/** The language of the account, and the theme of this browser. Both apply at once. */
export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { error, run } = useAction()
  const choose = (chosen: Language) =>
    run(async () => {
      await send(client.PATCH('/auth/me', { body: { locale: chosen } }))
      chooseLanguage(chosen)
    })
  const languages: { value: Language; label: string }[] = [
    { value: 'en', label: t('account.english') },
    { value: 'zh', label: t('account.chinese') },
  ]
  const themes: { value: MantineColorScheme; label: string }[] = [
    { value: 'auto', label: t('preferences.theme_auto') },
    { value: 'light', label: t('preferences.theme_light') },
    { value: 'dark', label: t('preferences.theme_dark') },
  ]
  return (
    <Section title={t('account.appearance')}>
      <Group gap="xl">
        <Choice label={t('account.language')} value={language} options={languages} onChange={choose} />
        <Choice label={t('account.theme')} value={colorScheme} options={themes} onChange={setColorScheme} />
      </Group>
      {error !== undefined && <Failure error={error} />}
    </Section>
  )
}

interface Props<Value extends string> {
  label: string
  value: Value
  options: { value: Value; label: string }[]
  onChange(value: Value): void
}

function Choice<Value extends string>({ label, value, options, onChange }: Props<Value>) {
  const id = useId()
  return (
    <Input.Wrapper label={label} labelElement="div" labelProps={{ id }}>
      <SegmentedControl
        display="flex"
        w="fit-content"
        mt={4}
        aria-labelledby={id}
        value={value}
        data={options}
        onChange={(chosen) => onChange(chosen)}
      />
    </Input.Wrapper>
  )
}
