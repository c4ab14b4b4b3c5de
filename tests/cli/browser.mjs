// Headless Chromium with a profile of its own, for scripts that look at pages.
import {mkdtempSync, rmSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {join, resolve} from "node:path";

// `packages` is the folder that npm installed into, `switches` are given to Chromium. close() also removes the profile.
export async function openBrowser(packages, ...switches) {
  const {chromium} = createRequire(join(resolve(packages), "package.json"))("playwright-core");
  const profile = mkdtempSync(join(tmpdir(), "plumb-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", ...switches],
  });
  return {
    newPage: () => context.newPage(),
    async close() {
      await context.close();
      rmSync(profile, {recursive: true, force: true});
    },
  };
}
