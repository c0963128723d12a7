import { Button, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { t } from '../i18n/words.ts'

/** The answer to an address that no page has. */
export function NotFound() {
  return (
    <Stack align="center" justify="center" h="100%" component="main">
      <Text>{t('frame.not_found')}</Text>
      <Button variant="default" component={Link} to="/">
        {t('frame.to_chat')}
      </Button>
    </Stack>
  )
}
