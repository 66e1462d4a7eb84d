import { chromium } from 'playwright-core';
import { serveBuild } from '/work/lead/tests/e2e/build-and-serve';
const {server,address}=await serveBuild('/tmp/dist');
const b=await chromium.launch({executablePath:'/usr/bin/chromium',args:['--no-sandbox','--headless=new','--disable-background-networking']});
const [,,what='first',w='1280',scheme='light',forced='none']=process.argv;
const ctx=await b.newContext({viewport:{width:+w,height:+w<500?844:800},colorScheme:scheme as any,forcedColors:forced as any});
const p=await ctx.newPage();
p.on('console',m=>console.log('C',m.text())); p.on('pageerror',e=>console.log('E',e.message));
await p.goto(address);
const words=()=>p.evaluate(()=>{let n=0;const w=document.createTreeWalker(document.body,NodeFilter.SHOW_TEXT);const out=[];while(w.nextNode()){const t=w.currentNode as Text;const r=document.createRange();r.selectNodeContents(t);const q=r.getBoundingClientRect();const el=t.parentElement!;if(q.width<2||q.height<2||q.top>=innerHeight||getComputedStyle(el).visibility==='hidden'||el.closest('.visually-hidden'))continue;const c=t.data.trim().split(/\s+/).filter(x=>/[\p{L}\p{N}]/u.test(x));n+=c.length;out.push(t.data.trim())}return [n,out.join(' | ')]});
await p.waitForTimeout(what==='first'?7000:1500);
if(what==='run'){ const t=Date.now(); await p.getByRole('button',{name:/^Train them/}).click(); await p.waitForFunction(()=>/small [−\d]/.test(document.querySelector('.ladder-plot')?.getAttribute('aria-label')??'')&&/[1-9]\d*\/60/.test(document.querySelector('.rung.small')?.textContent??''),undefined,{timeout:60000}); console.log('first point after',Date.now()-t,'ms'); await p.waitForTimeout(8000); }
console.log(await words(), await p.evaluate(()=>[document.documentElement.scrollHeight, document.documentElement.scrollWidth]));
await p.screenshot({path:`/tmp/shot-${what}-${w}-${scheme}.png`,fullPage:process.argv[6]==='full'});
if(what==='run'){ await p.waitForFunction(()=>!document.querySelector('.ladder-left'),undefined,{timeout:180000}); await p.waitForTimeout(1500); console.log('END',await p.locator('main').innerText()); await p.screenshot({path:`/tmp/shot-end-${w}-${scheme}.png`}); }
await b.close(); server.close();
