import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Download } from '../ui/icons.ts'

/** The recovery codes of an account, the only time that they are shown. */
export function RecoveryCodes({ codes }: { codes: string[] }) {
  const text = codes.join('\n')
  const download = () => {
    const address = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/plain' }))
    const link = document.createElement('a')
    link.href = address
    link.download = 'recovery-codes.txt'
    link.click()
    URL.revokeObjectURL(address)
  }
  return (
    <Stack gap="md">
      <Text size="sm">{t('two-factor.codes_about')}</Text>
      <Code block fz="sm" aria-label={t('two-factor.codes_label')} role="region" tabIndex={0}>
        {text}
      </Code>
      <Group gap="xs">
        <Button size="xs" variant="default" leftSection={<Download size={14} />} onClick={download}>
          {t('two-factor.download')}
        </Button>
        <CopyButton text={text} />
      </Group>
    </Stack>
  )
}
