/** The generated part of the corpus, in the shorthand of shorthand.ts: names and sizes as one meets them. */

/** Parameters of tools, in shorthand. */
export const toolShorthands: Readonly<Record<string, string>> = {
  get_current_time: "{ timezone!:str(IANA name) format:enum(12h|24h) }",
  search_products:
    "{ query!:str category:enum(books|toys|garden|kitchen) min_price:num(0..) max_price:num(0..) in_stock:bool page:int(1..) sort:enum(price_asc|price_desc|rating) }",
  add_to_cart: "{| product_id!:uuid quantity!:int(1..99) variant:str gift_wrap:bool |}",
  cancel_order:
    "{ order_id!:code(ORD) reason:enum(changed_mind|too_late|found_cheaper|other) comment:text(0..300) refund:bool }",
  create_reminder: "{ text!:text(1..200) due!:datetime repeat:enum(never|daily|weekly) priority:int(1..5) }",
  get_directions:
    "{ origin!:str destination!:str mode:enum(driving|walking|bicycling|transit) avoid:[enum(tolls|highways|ferries)](..3) departure_time:datetime }",
  convert_units: "{ value!:num from!:enum(m|km|mi|ft|in) to!:enum(m|km|mi|ft|in) precision:int(0..10) }",
  get_stock_history: "{ symbol!:str start!:date end:date interval:enum(1d|1wk|1mo) adjusted:bool }",
  play_music:
    "{ query:str artist:str album:str shuffle:bool volume:int(0..100) device:{ id!:uuid name:str } }",
  set_alarm:
    "{| hour!:int(0..23) minute!:int(0..59) days:[enum(mon|tue|wed|thu|fri|sat|sun)](..7)u label:text(0..50) |}",
  book_hotel:
    "{ city!:str check_in!:date check_out!:date guests!:{ adults!:int(1..10) children:int(0..10) } stars:[int(1..5)] max_price:num(0..) amenities:[str] }",
  rent_car:
    "{ pickup!:{ place!:str at!:datetime } dropoff:{ place!:str at!:datetime } class:enum(mini|compact|suv|van) driver_age!:int(18..99) extras:<int(0..4)> }",
  generate_password: "{ length!:int(8..128) symbols:bool digits:bool exclude:str }",
  calculate_bmi: "{ weight!:num(1..500) height!:num(0.3..2.8) unit:enum(metric|imperial) }",
  mortgage_payment: "{ principal!:num(0..) rate!:num(0..100) years!:int(1..40) down_payment:num(0..) }",
  get_definition: "{ word!:text(1..64) language:enum(en|de|fr|it|rm) examples:bool }",
  create_contact:
    "{| first_name!:text(1..40) last_name:text(0..40) emails:[email](..5) phones:[digits(7..15)] address:{ street:str city!:str zip:digits(4..5) } birthday:date |}",
  send_sms: "{ to!:[digits(8..15)](1..20) message!:text(1..160) schedule:datetime? }",
  list_files: "{ path!:str recursive:bool glob:str limit:int(1..10000) }",
  read_file: "{| path!:str offset:int(0..) limit:int(1..2000) encoding:enum(utf-8|latin-1|base64) |}",
  run_query:
    "{ database!:enum(prod|staging|analytics) sql!:text(1..5000) parameters:[any] timeout_s:int(1..300) }",
  create_branch: "{ owner!:str repo!:str branch!:name from_branch:str }",
  merge_pull_request:
    "{| owner!:str repo!:str pull_number!:int(1..) commit_title:str merge_method:enum(merge|squash|rebase) sha:hex(40) |}",
  list_commits:
    "{ owner!:str repo!:str sha:str since:datetime until:datetime per_page:int(1..100) page:int(1..) }",
  browser_navigate:
    "{| url!:uri wait_until:enum(load|domcontentloaded|networkidle) timeout:int(0..60000) headers:<str> |}",
  take_screenshot:
    "{| selector:str full_page:bool format:enum(png|jpeg) quality:int(0..100) clip:{| x!:num y!:num width!:num(0..) height!:num(0..) |} |}",
  http_request:
    "{ method!:enum(GET|POST|PUT|PATCH|DELETE) url!:uri headers:<str> query:<[str]> body:any follow_redirects:bool }",
  post_message:
    "{ channel!:str text!:str thread_ts:digits(10..16) blocks:[{ type!:enum(section|divider|image) text:str url:uri }](..50) }",
  create_invoice:
    "{ customer!:uuid due!:date currency!:enum(CHF|EUR|USD) lines!:[{ description!:str quantity!:num(0..) unit_price!:num tax:num(0..1) }](1..100) notes:str? }",
  update_inventory:
    "{ warehouse!:code(WH) changes!:[{| sku!:code(SKU) delta!:int(-1000..1000) reason:enum(sale|return|count|loss) |}](1..200) }",
  schedule_interview:
    "{ candidate!:email interviewers!:[email](1..6) slot!:{ start!:datetime minutes!:int(15..240) } kind:enum(phone|video|onsite) notes:text(0..1000) }",
  get_exchange_rates: "{ base!:enum(CHF|EUR|USD|GBP) targets:[enum(CHF|EUR|USD|GBP|JPY|CNY)]u date:date }",
  translate_document:
    "{ source_url!:uri target_language!:enum(de|fr|it|en|es) glossary:<str> formality:enum(more|less|default) }",
  search_papers:
    "{ query!:str authors:[str] year_from:int(1900..2030) year_to:int(1900..2030) fields:[enum(title|abstract|doi|citations)](1..4) open_access:bool? }",
  set_thermostat: "{| room!:enum(living|bed|bath|kitchen) celsius!:num(5..30) until:time |}",
  control_lights:
    "{ targets!:[str](1..) on!:bool brightness:int(0..100) color:{ hue!:int(0..360) saturation!:int(0..100) } transition_ms:int(0..10000) }",
};

/** Data of events, in shorthand. */
export const eventShorthands: Readonly<Record<string, string>> = {
  "product-view":
    "{| sku!:text(1..64) name:text(0..255)? price:num(0..)? currency:text(3..3)? category:[text(0..64)](..8) list_position:int(0..1000)? |}",
  "checkout-step":
    "{| step!:int(1..6) option:text(0..128)? coupon:text(0..32)? value:num(0..)? cart!:[{| sku!:text(1..64) qty!:int(1..999) |}](..100) |}",
  "video-progress":
    "{| media_id!:hex(16) position_ms!:int(0..86400000) percent:num(0..100) muted:bool? quality:enum(240p|480p|720p|1080p|2160p) |}",
  "app-error":
    "{ message!:text(0..2000) stack:text(0..10000)? level!:enum(fatal|error|warning|info) tags:<str> breadcrumbs:[{ at!:datetime category:str data:object }](..100) user:{ id:str? ip:ipv4? }? }",
  "login-attempt":
    "{| user!:text(1..320) at!:datetime ok!:bool method:enum(password|passkey|oauth|magic_link) ip:ipv4 agent:text(0..512)? |}",
  "search-performed":
    "{| query!:text(0..256) filters:<[str]> results!:int(0..) took_ms:int(0..60000) page:int(1..100) |}",
  "payment-settled":
    "{| id!:uuid amount_minor!:int(0..) currency!:enum(CHF|EUR|USD|GBP|JPY) fee_minor:int(0..)? settled_at!:datetime batch:code(BATCH) |}",
  "page-timing":
    "{| dns:int(0..60000)? connect:int(0..60000)? ttfb!:int(0..60000) lcp:int(0..60000)? cls:num(0..10)? url!:text(1..2048) |}",
  "vehicle-position":
    "{ vehicle!:digits(3..6) line:str lat!:num(-90..90) lon!:num(-180..180) bearing:int(0..359)? speed:num(0..120)? occupancy:enum(empty|low|medium|high|full)? at!:datetime }",
  "ad-impression":
    "{| impression_id!:uuid campaign:text(0..100)? creative:{| id!:int(0..) size!:enum(300x250|728x90|160x600|320x50) |} cost:num(0..)? viewable:bool? |}",
  "feature-used":
    "{| feature!:name count:int(1..) context:<str> experiment:{| id!:name arm!:enum(control|a|b) |}? |}",
  "device-heartbeat":
    "{ device!:hex(12) uptime_s!:int(0..) load:[num(0..)](3..3) disks:[{ mount!:str used!:num(0..1) }] agent:{ version!:str commit:hex(40) } }",
  "mail-delivery":
    "{| message!:email recipient!:email event!:enum(accepted|delivered|deferred|bounced|complained|opened|clicked) at!:datetime reason:text(0..998)? url:uri |}",
  "audit-entry":
    "{| actor!:{| kind!:enum(user|service|system) id!:str |} action!:name target!:{ type!:str id!:str } before:object? after:object? at!:datetime request_id:uuid |}",
};

/** Definitions that the resources refer to, in shorthand. */
export const definitionShorthands: Readonly<Record<string, string>> = {
  Labels: "<str?>",
  Meta: "{ name:str? namespace:str? labels:@Labels annotations:@Labels uid:str? generation:int? creationTimestamp:datetime? }",
  Quantity: "str",
  EnvVar: "{ name!:str value:str? valueFrom:{ fieldPath:str? secretKey:str? optional:bool? }? }",
  Port: "{ name:str? containerPort!:int(1..65535) protocol:str? hostIP:str? }",
  Probe: "{ path:str? port!:int(1..65535) periodSeconds:int? failureThreshold:int? }",
  Mount: "{ name!:str mountPath!:str readOnly:bool? subPath:str? }",
  Container:
    "{ name!:str image:str? command:[str?]? args:[str?]? env:[@EnvVar]? ports:[@Port]? livenessProbe:@Probe readinessProbe:@Probe volumeMounts:[@Mount]? limits:<@Quantity> }",
  Volume:
    "{ name!:str emptyDir:{ medium:str? sizeLimit:@Quantity }? configMap:{ name:str? items:[{ key!:str path!:str mode:int? }]? }? hostPath:{ path!:str type:str? }? }",
  Toleration: "{ key:str? operator:str? value:str? effect:str? tolerationSeconds:int? }",
  PodSpec:
    "{ containers!:[@Container] initContainers:[@Container]? volumes:[@Volume]? nodeSelector:@Labels tolerations:[@Toleration]? restartPolicy:str? serviceAccountName:str? hostNetwork:bool? }",
  Template: "{ metadata:@Meta spec:@PodSpec }",
  Selector: "{ matchLabels:@Labels matchExpressions:[{ key!:str operator!:str values:[str?]? }]? }",
  Condition: "{ type!:str status!:str reason:str? message:str? lastTransitionTime:datetime? }",
  Coding: "{| system:uri version:str code:str display:str userSelected:bool |}",
  Concept: "{| coding:[@Coding] text:str |}",
  Period: "{| start:datetime end:datetime |}",
  Reference: "{| reference:str type:uri display:str |}",
  Amount: "{| value:num comparator:enum(<|<=|>=|>) unit:str system:uri code:str |}",
  Identifier:
    "{| use:enum(usual|official|temp|secondary|old) type:@Concept system:uri value:str period:@Period assigner:@Reference |}",
  HumanName:
    "{| use:enum(usual|official|nickname|maiden) text:str family:str given:[str] prefix:[str] period:@Period |}",
  Contact:
    "{| system:enum(phone|fax|email|pager|url|sms|other) value:str use:enum(home|work|temp|old|mobile) rank:int(1..) period:@Period |}",
  Address:
    "{| use:enum(home|work|temp|old|billing) type:enum(postal|physical|both) line:[str] city:str postalCode:str country:str period:@Period |}",
  Annotation: "{| authorString:str time:datetime text!:str |}",
  Dosage:
    "{| sequence:int text:str asNeeded:bool route:@Concept doseQuantity:@Amount maxDosePerPeriod:@Amount |}",
  Money: "{| amount!:num currency!:enum(CHF|EUR|USD|GBP) |}",
  Party: "{ id!:uuid name!:text(1..200) kind:enum(person|company) emails:[email](..5) address:@Address }",
};

export const resourceShorthands: Readonly<Record<string, string>> = {
  "k8s-pod":
    "{| apiVersion:const(v1) kind:const(Pod) metadata:@Meta spec:@PodSpec status:{ phase:str? conditions:[@Condition]? podIP:str? }? |}",
  "k8s-daemonset":
    "{| apiVersion:const(apps/v1) kind:const(DaemonSet) metadata:@Meta spec:{ selector!:@Selector template!:@Template minReadySeconds:int? revisionHistoryLimit:int? }? |}",
  "k8s-statefulset":
    "{| apiVersion:const(apps/v1) kind:const(StatefulSet) metadata:@Meta spec:{ serviceName!:str replicas:int? selector!:@Selector template!:@Template podManagementPolicy:str? }? |}",
  "k8s-job":
    "{| apiVersion:const(batch/v1) kind:const(Job) metadata:@Meta spec:{ parallelism:int? completions:int? backoffLimit:int? template!:@Template ttlSecondsAfterFinished:int? }? |}",
  "k8s-cronjob":
    "{| apiVersion:const(batch/v1) kind:const(CronJob) metadata:@Meta spec:{ schedule!:str suspend:bool? concurrencyPolicy:str? jobTemplate!:{ metadata:@Meta spec:{ template!:@Template }? } }? |}",
  "k8s-configmap":
    "{| apiVersion:const(v1) kind:const(ConfigMap) metadata:@Meta data:<str?>? binaryData:<str?>? immutable:bool? |}",
  "k8s-secret":
    "{| apiVersion:const(v1) kind:const(Secret) metadata:@Meta type:str? stringData:<str?> data:<str?> |}",
  "k8s-ingress":
    "{| apiVersion:const(networking/v1) kind:const(Ingress) metadata:@Meta spec:{ ingressClassName:str? tls:[{ hosts:[str?]? secretName:str? }]? rules:[{ host:str? http:{ paths!:[{ path:str? pathType!:str backend!:{ service:{ name!:str port:{ name:str? number:int? } }? } }] }? }]? }? |}",
  "k8s-network-policy":
    "{| kind:const(NetworkPolicy) metadata:@Meta spec:{ podSelector!:@Selector policyTypes:[str?]? ingress:[{ from:[{ podSelector:@Selector namespaceSelector:@Selector ipBlock:{ cidr!:str except:[str?]? }? }]? ports:[{ port:int? protocol:str? }]? }]? }? |}",
  "k8s-horizontal-autoscaler":
    "{| kind:const(HorizontalPodAutoscaler) metadata:@Meta spec:{ minReplicas:int? maxReplicas!:int scaleTargetRef!:{ kind!:str name!:str apiVersion:str? } metrics:[{ type!:str resource:{ name!:str target!:{ type!:str averageUtilization:int? } }? }]? }? |}",
  "k8s-role":
    "{| kind:const(Role) metadata:@Meta rules:[{ apiGroups:[str?]? resources:[str?]? verbs!:[str?] resourceNames:[str?]? }]? |}",
  "fhir-practitioner":
    "{| resourceType!:const(Practitioner) id:str identifier:[@Identifier] active:bool name:[@HumanName] telecom:[@Contact] address:[@Address] gender:enum(male|female|other|unknown) birthDate:date qualification:[{| identifier:[@Identifier] code!:@Concept period:@Period issuer:@Reference |}] |}",
  "fhir-medication-request":
    "{| resourceType!:const(MedicationRequest) status!:enum(active|on-hold|cancelled|completed|draft) intent!:enum(proposal|plan|order) medication!:@Concept subject!:@Reference authoredOn:datetime note:[@Annotation] dosageInstruction:[@Dosage] priorPrescription:@Reference |}",
  "fhir-encounter":
    "{| resourceType!:const(Encounter) identifier:[@Identifier] status!:enum(planned|arrived|in-progress|finished|cancelled) class!:@Coding type:[@Concept] subject:@Reference participant:[{| type:[@Concept] period:@Period individual:@Reference |}] period:@Period reason:[@Concept] location:[{| location!:@Reference status:enum(planned|active|completed) |}] |}",
  "fhir-condition":
    "{| resourceType!:const(Condition) clinicalStatus:@Concept verificationStatus:@Concept severity:@Concept code:@Concept subject!:@Reference onsetDateTime:datetime recordedDate:date recorder:@Reference note:[@Annotation] |}",
  "fhir-immunization":
    "{| resourceType!:const(Immunization) status!:enum(completed|not-done) vaccineCode!:@Concept patient!:@Reference occurrenceDateTime!:datetime lotNumber:str expirationDate:date doseQuantity:@Amount site:@Concept note:[@Annotation] |}",
  "fhir-claim":
    "{| resourceType!:const(Claim) status!:enum(active|draft|cancelled) use!:enum(claim|preauthorization) patient!:@Reference created!:datetime provider!:@Reference item:[{| sequence!:int(1..) productOrService!:@Concept quantity:@Amount unitPrice:@Money net:@Money |}] total:@Money |}",
  "purchase-contract":
    "{ id!:code(CON) parties!:[@Party](2..10) price!:@Money deposit:@Money? signed:[{ party!:uuid at!:datetime }] clauses!:[{ number!:digits(1..3) title!:text(1..120) text!:text(1..8000) optional:bool }](1..200) annexes:[{ title!:str file:uri sha256:hex(64) }] }",
  "insurance-policy":
    "{| number!:code(POL) holder!:@Party insured:[@Party](..20) kind!:enum(household|liability|health|life|vehicle) premium!:@Money deductible:@Money? valid!:@Period coverages!:[{| code!:name limit:@Money excluded:[str] |}](1..) |}",
  "hr-employee":
    "{ id!:digits(6..8) name!:@HumanName contact:[@Contact] address:@Address hired!:date left:date? salary:@Money? manager:digits(6..8)? skills:[{ name!:str level!:int(1..5) }] absences:[{| from!:date to!:date kind!:enum(vacation|sick|parental|military) |}] }",
  "shipment-tracking":
    "{ number!:code(TRK) carrier!:enum(post|dhl|ups|fedex) sender!:@Party recipient!:@Party parcels!:[{ weight!:num(0..70) dimensions:[num(0..)](3..3) value:@Money }](1..99) history!:[{ at!:datetime place:str status!:enum(accepted|in_transit|customs|out_for_delivery|delivered|failed) note:str? }] signature:str? }",
};
