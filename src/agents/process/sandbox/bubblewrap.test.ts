import { expect, test } from "bun:test";
import { bubblewrapArgs } from "./bubblewrap.ts";

const plan = {
  entries: [
    { path: "/data/me/p", access: "write" },
    { path: "/data/me/p/.git/hooks", access: "read" },
  ],
  temp: "/tmp/own",
  shown: ["/tmp/atomic"],
  hidden: ["/run"],
  sockets: ["/data/me/.docker/run/docker.sock"],
  hasOwnNetwork: false,
  cwd: "/data/me/p",
} as const;

test("bubblewrapArgs ends with its parent, has its own processes, and drops all capabilities", () => {
  const args = bubblewrapArgs(plan, ["true"]);
  for (const flag of ["--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--cap-drop"])
    expect(args).toContain(flag);
  expect(args).not.toContain("--unshare-net");
  expect(bubblewrapArgs({ ...plan, hasOwnNetwork: true }, ["true"])).toContain("--unshare-net");
});

test("bubblewrapArgs mounts the root read-only first, then what may be written, then what is protected in it", () => {
  const text = bubblewrapArgs(plan, ["program", "--", "x"]).join(" ");
  const places = [
    "--ro-bind / /",
    "--bind /tmp/own /tmp",
    "--tmpfs /run",
    "--ro-bind /tmp/atomic /tmp/atomic",
    "--bind /data/me/p /data/me/p",
    "--ro-bind /data/me/p/.git/hooks /data/me/p/.git/hooks",
    "--ro-bind /dev/null /data/me/.docker/run/docker.sock",
    "--chdir /data/me/p -- program -- x",
  ].map((part) => text.indexOf(part));
  expect(places.every((place) => place >= 0)).toBe(true);
  expect([...places].sort((a, b) => a - b)).toEqual(places);
});
