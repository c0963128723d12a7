export default function ChatPage() {
  return <p>chat</p>
}
