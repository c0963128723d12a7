import { Code, Group, Input } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'

interface Props {
  label: string
  description?: string
  text: string
}

/** A text to be copied, such as a secret that is not shown again. */
export const ShownOnce = ({ label, description, text }: Props) => (
  <Input.Wrapper label={label} description={description} labelElement="div">
    <Group gap="xs" mt={4} wrap="nowrap" align="flex-start">
      <Code block fz="sm" p="sm" flex={1} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {text}
      </Code>
      <CopyButton text={text} />
    </Group>
  </Input.Wrapper>
)
