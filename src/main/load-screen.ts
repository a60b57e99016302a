// Loads the full-screen chat. React picks its fast build by NODE_ENV while it is loaded, and OpenTUI loads a debugger
// where DEV is set: both are as this program wants them for that moment, and the user's own again for the agents it
// starts.

type ScreenModule = typeof import("../tui/open-chat-screen.tsx");

export async function loadScreen(load: () => Promise<ScreenModule>): Promise<ScreenModule["openChatScreen"]> {
  const before = { NODE_ENV: process.env["NODE_ENV"], DEV: process.env["DEV"] };
  Object.assign(process.env, { NODE_ENV: "production", DEV: "false" });
  try {
    const { openChatScreen, loadNativePart } = await load();
    loadNativePart();
    return openChatScreen;
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
